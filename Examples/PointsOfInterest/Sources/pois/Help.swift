/// The text of `--version`.
package let version = "pois 0.1.0\n"

/// The text of `--help`.
package let help = """
    Lists airports and cities: the nearest ones to a place, or those with a name.
    Downloads all of them as one file, and uploads a file.

    Usage: pois --near LATITUDE,LONGITUDE [options]
           pois --search TEXT [options]
           pois watch [options]
           pois download [--to FILE] [options]
           pois upload FILE [options]
           pois --serve PORT [--flaky] [--limit-rate BYTES]

    What to list:
      --near LAT,LONG    the places around this coordinate, in degrees; south and
                         west are negative
      --search TEXT      the places with this text in their name, and the airport
                         with this code; case and accents make no difference
      --limit N          how many places to list, 1 to 100 (default: 10)
      --all              list all places that --search finds, page by page
      watch              print new places as the server sends them, until control-C;
                         a connection that ends is followed by a new one
      --count N          let watch end after N places

    What to transfer:
      download           download all places; after control-C or an error, the same
                         command resumes
      --to FILE          where to download to (default: places.json)
      upload FILE        upload a file

    How to load:
      --base-url URL     load from the server at this URL (default: a server
                         inside pois, with 14,000 places of the world)
      --timeout SECONDS  how long one attempt may take (default: 10); pois makes
                         up to 3 attempts
      --flaky            let the server inside pois answer 503 now and then, and
                         cut the connections of watch and download, to see how
                         pois deals with it
      --limit-rate BYTES
                         let that server send so many bytes of the download in a
                         second, such as 50k or 1.5M

    How to print:
      --json             print a JSON array, with distances in kilometres, and an
                         error as {"error": "…", "hint": "…"}; watch prints a JSON
                         object on each line
      --verbose          show each load and each of its attempts on standard error;
                         otherwise, a terminal shows a bar for a transfer

    Other:
      --serve PORT       only start the server, at http://127.0.0.1:PORT, and keep
                         it running until control-C; 0 takes any free port
      --version          show the version
      -h, --help         show this text

    Examples:
      pois --near 37.3293,-121.8893              around San José's convention centre
      pois --near=-33.87,151.21 --limit 3 --json
      pois --search "san jose" --all
      pois --search SJC --flaky --verbose        a failed attempt and its retry
      pois watch --flaky --count 5               two connections, and no place twice
      pois download --limit-rate 200k            time enough for control-C

    Exit codes:
      0    done
      1    the load or the transfer failed, or the server could not be started
      64   the command line is wrong
      130  ended with control-C

    If it does not work:
      Add --verbose: each line is one request or its answer.
      "could not be reached" or "timed out": try without --base-url, which needs
      no other server.

    """
