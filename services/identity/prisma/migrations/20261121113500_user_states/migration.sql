-- Row-level security is forced, so without this the owner of the table would find no row to change.
ALTER TABLE "user" NO FORCE ROW LEVEL SECURITY;
UPDATE "user" SET "status" = 'deactivated' WHERE "status" = 'inactive';
ALTER TABLE "user" FORCE ROW LEVEL SECURITY;
