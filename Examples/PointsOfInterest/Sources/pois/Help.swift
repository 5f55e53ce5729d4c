/// The text of `--version`.
package let version = "pois 0.1.0\n"

/// The text of `--help`.
package let help = """
    Lists airports and cities: the nearest ones to a place, or those with a name.

    Usage: pois --near LATITUDE,LONGITUDE [options]
           pois --search TEXT [options]
           pois --serve PORT [--flaky]

    What to list:
      --near LAT,LONG    the places around this coordinate, in degrees; south and
                         west are negative
      --search TEXT      the places with this text in their name, and the airport
                         with this code; case and accents make no difference
      --limit N          how many places to list, 1 to 100 (default: 10)
      --all              list all places that --search finds, page by page

    How to load:
      --base-url URL     load from the server at this URL (default: a server
                         inside pois, with 14,000 places of the world)
      --timeout SECONDS  how long one attempt may take (default: 10); pois makes
                         up to 3 attempts
      --flaky            let the server inside pois answer 503 now and then, to
                         see how the retries deal with it

    How to print:
      --json             print a JSON array, with distances in kilometres, and an
                         error as {"error": "…", "hint": "…"}
      --verbose          show each load and each of its attempts on standard error

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

    Exit codes:
      0    done
      1    the places could not be loaded, or the server could not be started
      64   the command line is wrong

    If it does not work:
      Add --verbose: each line is one request or its answer.
      "could not be reached" or "timed out": try without --base-url, which needs
      no other server.

    """
