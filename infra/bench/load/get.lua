-- Repeats one request.
dofile(os.getenv("LOAD_DIR") .. "/result.lua")
