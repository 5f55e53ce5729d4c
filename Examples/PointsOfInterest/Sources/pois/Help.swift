/// The text of `--help`.
package let help = """
    Lists the airports and cities nearest to a place, with distance and direction.

    Usage: pois --near LATITUDE,LONGITUDE [options]
           pois --serve PORT

    Options:
      --near LAT,LONG   where to look, in degrees; south and west are negative
      --limit N         how many places to list, 1 to 100 (default: 10)
      --base-url URL    load from the server at this URL (default: a server of
                        its own, with 14,000 places of the world)
      --json            print a JSON array, with distances in kilometres
      --verbose         show each request as a curl command, with the status and
                        the size of its answer, on standard error
      --serve PORT      only start the server, at http://127.0.0.1:PORT, and keep
                        it running until control-C; 0 takes any free port
      -h, --help        show this text

    Examples:
      pois --near 37.3293,-121.8893             around San José's convention centre
      pois --near=-33.87,151.21 --limit 3 --json

    Exit codes:
      0    done
      1    the places could not be loaded, or the server could not be started
      64   the command line is wrong

    """
