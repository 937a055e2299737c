-- AlterTable
ALTER TABLE "execution" ADD COLUMN     "steps_purged" BOOLEAN NOT NULL DEFAULT false;

-- Visits without a lead are kept for 90 days, steps for 180 days after their execution has ended. The role of housekeeping
-- sees only older ones.
GRANT SELECT ("at"), DELETE ON "engagement" TO "tandem_campaign_relay";
CREATE POLICY purge ON "engagement" TO "tandem_campaign_relay"
  USING ("lead_id" IS NULL AND "type" = 'page_visit' AND "at" < now() - interval '90 days');
GRANT SELECT ("tenant_id", "environment", "id", "ended_at", "steps_purged"), UPDATE ("steps_purged") ON "execution" TO "tandem_campaign_relay";
CREATE POLICY purge ON "execution" TO "tandem_campaign_relay" USING ("ended_at" < now() - interval '180 days');
GRANT SELECT ("tenant_id", "environment", "execution_id"), DELETE ON "execution_step" TO "tandem_campaign_relay";
CREATE POLICY purge ON "execution_step" TO "tandem_campaign_relay" USING (EXISTS (
  SELECT FROM "execution" WHERE "execution"."tenant_id" = "execution_step"."tenant_id"
    AND "execution"."environment" = "execution_step"."environment" AND "execution"."id" = "execution_step"."execution_id"));
