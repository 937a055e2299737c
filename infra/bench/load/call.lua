-- Sends one kind of request: with a unique number in each ({n}), and with the ids of a file ({id}), which are used
-- one after the other, or only once each.
dofile(os.getenv("LOAD_DIR") .. "/result.lua")

local path, body = os.getenv("CALL_PATH"), os.getenv("CALL_BODY")
local run, isOnce = os.getenv("RUN"), os.getenv("CALL_ONCE")
local ids, count = {}, 0

function init()
  wrk.method = os.getenv("CALL_METHOD")
  if body then wrk.headers["Content-Type"] = "application/json" end
  if os.getenv("CALL_IDS") then
    for id in io.lines(os.getenv("CALL_IDS")) do ids[#ids + 1] = id end
  end
end

function request()
  count = count + 1
  if isOnce and count >= #ids then wrk.thread:stop() end
  local id = #ids > 0 and ids[(count - 1) % #ids + 1] or ""
  local filled = { ["{n}"] = run .. count, ["{id}"] = id }
  local fill = function(text) return (text:gsub("{%w+}", filled)) end
  return wrk.format(nil, fill(path), nil, body and fill(body))
end
