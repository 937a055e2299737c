-- What leads are matched by, in columns of its own: under row-level security PostgreSQL looks into an index only for
-- conditions that cannot leak, and lower() is not known to be one. A comparison of plain text is.
ALTER TABLE "lead" ADD COLUMN "email_key" TEXT GENERATED ALWAYS AS (lower("email")) STORED;
ALTER TABLE "lead" ADD COLUMN "name_key" TEXT GENERATED ALWAYS AS (lower("first_name" || ' ' || "last_name")) STORED;
CREATE INDEX "lead_tenant_id_environment_email_key_idx" ON "lead" ("tenant_id", "environment", "email_key");
CREATE INDEX "lead_tenant_id_environment_name_key_idx" ON "lead" ("tenant_id", "environment", "name_key");
DROP INDEX "lead_same_email";
DROP INDEX "lead_same_name";
