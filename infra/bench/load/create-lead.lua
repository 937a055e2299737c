-- Creates leads of different people: equal ones would make the check for duplicates the thing that is measured.
dofile(os.getenv("LOAD_DIR") .. "/result.lua")

local count = 0
local run = os.getenv("RUN")
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"

function request()
  count = count + 1
  local who = run .. count
  return wrk.format(nil, nil, nil, string.format(
    '{"email":"ada.%s@example.com","firstName":"Ada%s","lastName":"Lovelace%s","source":"web","customFields":{"budget":%d}}',
    who, who, who, count))
end
