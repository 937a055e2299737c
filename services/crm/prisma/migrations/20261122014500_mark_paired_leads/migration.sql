-- Leads that had pairs when the column "is_paired" was added were not marked: row-level security is forced, and the owner of
-- the tables finds no row while it is.
ALTER TABLE "lead" NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "duplicate_pair" NO FORCE ROW LEVEL SECURITY;
UPDATE "lead" SET "is_paired" = true FROM "duplicate_pair" pair
WHERE pair."tenant_id" = "lead"."tenant_id" AND pair."environment" = "lead"."environment"
  AND "lead"."id" IN (pair."first_lead_id", pair."second_lead_id") AND NOT "lead"."is_paired";
ALTER TABLE "duplicate_pair" FORCE ROW LEVEL SECURITY;
ALTER TABLE "lead" FORCE ROW LEVEL SECURITY;
