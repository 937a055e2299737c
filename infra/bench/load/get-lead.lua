-- Reads different leads: the paths stand in a file, one a line.
dofile(os.getenv("LOAD_DIR") .. "/result.lua")

local requests, next = {}, 0

function init()
  for path in io.lines(os.getenv("PATHS")) do
    requests[#requests + 1] = wrk.format("GET", path)
  end
end

function request()
  next = next % #requests + 1
  return requests[next]
end
