-- A deleted lead can be restored for 30 days. Then housekeeping removes it, with the pairs it stands in. The role it works
-- under sees no other lead, and of these only since when they are deleted.
GRANT SELECT ("deleted_at"), DELETE ON "lead" TO "tandem_crm_relay";
CREATE POLICY purge ON "lead" TO "tandem_crm_relay" USING ("deleted_at" < now() - interval '30 days');
CREATE INDEX "lead_deleted_at_idx" ON "lead" ("deleted_at") WHERE "deleted_at" IS NOT NULL;

ALTER TABLE "duplicate_pair" DROP CONSTRAINT "duplicate_pair_tenant_id_environment_first_lead_id_fkey";
ALTER TABLE "duplicate_pair" DROP CONSTRAINT "duplicate_pair_tenant_id_environment_second_lead_id_fkey";
ALTER TABLE "duplicate_pair" ADD CONSTRAINT "duplicate_pair_tenant_id_environment_first_lead_id_fkey" FOREIGN KEY ("tenant_id", "environment", "first_lead_id") REFERENCES "lead"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "duplicate_pair" ADD CONSTRAINT "duplicate_pair_tenant_id_environment_second_lead_id_fkey" FOREIGN KEY ("tenant_id", "environment", "second_lead_id") REFERENCES "lead"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;
