/// The text of `--help`.
package let help = """
    Lists airports and cities: the nearest ones to a place, or those with a name.
    Downloads all of them as one file, and uploads a file.

    Usage: pois --near LATITUDE,LONGITUDE [options]
           pois --search TEXT [options]
           pois watch [options]
           pois download [--to FILE] [options]
           pois upload FILE [options]
           pois --serve PORT [--flaky] [--slow]

    What to do:
      --near LAT,LONG    print the places around this coordinate, in degrees; south
                         and west are negative
      --search TEXT      print the places with this text in their name, and the
                         airport with this code; case and accents do not matter
      watch              print new places as the server sends them; a connection
                         that ends is followed by a new one
      download           download all places; after control-C or an error, the same
                         command resumes
      upload FILE        upload a file
      --serve PORT       only start the server, at http://127.0.0.1:PORT, and keep
                         it running until control-C; 0 takes any free port

    How to do it:
      --limit N          how many places to print (default: 10; --near at most 100)
      --all              print all places that --search finds, page by page, or that
                         watch gets, until control-C
      --to FILE          where to download to (default: places.json)
      --base-url URL     use the server at this URL (default: a server inside pois,
                         with 1,600 places of the world)
      --timeout SECONDS  how long one attempt may take (default: 10); pois makes
                         up to 3 attempts
      --json             print each place as a JSON object on a line
      --verbose          show each load and each of its attempts on standard error

    What the server inside pois does:
      --flaky            it responds with 503 now and then, and cuts the
                         connections of watch and download
      --slow             it sends 20 kB of the download in a second

    Examples:
      pois --near 37.3293,-121.8893              around San José's convention centre
      pois --near -33.87,151.21 --limit 3 --json
      pois --search "san jose" --all
      pois --search SJC --flaky --verbose        a failed attempt and its retry
      pois watch --flaky --limit 5               two connections, and no place twice
      pois download --slow                       time enough for control-C

    Exit codes: 0 done, 1 failed, 64 a wrong command line, 130 control-C.

    """
