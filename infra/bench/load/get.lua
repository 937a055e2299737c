-- Repeats one request; with PAUSE_MS each connection pauses that long on average between two requests.
dofile(os.getenv("LOAD_DIR") .. "/result.lua")

local pauseMs = tonumber(os.getenv("PAUSE_MS") or "0")

if pauseMs > 0 then
  function delay()
    return math.random(0, 2 * pauseMs)
  end
end
