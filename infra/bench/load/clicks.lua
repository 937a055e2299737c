-- Follows links: the paths stand in a file, one a line. Each request is of the next of 5,000 visitors, with a browser.
dofile(os.getenv("LOAD_DIR") .. "/result.lua")

local visitors = 5000
local requests, next = {}, 0

function init()
  local paths = {}
  for path in io.lines(os.getenv("PATHS")) do
    paths[#paths + 1] = path
  end
  wrk.headers["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"
  for visitor = 1, visitors do
    wrk.headers["X-Forwarded-For"] = string.format("198.18.%d.%d", math.floor(visitor / 250), visitor % 250)
    requests[visitor] = wrk.format("GET", paths[visitor % #paths + 1])
  end
end

function request()
  next = next % #requests + 1
  return requests[next]
end
