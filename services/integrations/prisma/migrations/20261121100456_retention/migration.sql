-- DropForeignKey
ALTER TABLE "delivery" DROP CONSTRAINT "delivery_tenant_id_environment_event_id_fkey";

-- CreateIndex
CREATE INDEX "attempt_started_at_idx" ON "attempt"("started_at");

-- CreateIndex
CREATE INDEX "delivery_created_at_idx" ON "delivery"("created_at");

-- CreateIndex
CREATE INDEX "event_stored_at_idx" ON "event"("stored_at");

-- Payloads and attempts are kept for 30 days, what is known about a delivery for 90. The role that housekeeping works under
-- sees no younger row, and of these only since when they are there. The attempts of a delivery go with it.
GRANT SELECT ("stored_at"), DELETE ON "event" TO "tandem_integrations_relay";
CREATE POLICY purge ON "event" TO "tandem_integrations_relay" USING ("stored_at" < now() - interval '30 days');
GRANT SELECT ("started_at"), DELETE ON "attempt" TO "tandem_integrations_relay";
CREATE POLICY purge ON "attempt" TO "tandem_integrations_relay" USING ("started_at" < now() - interval '30 days');
GRANT SELECT ("created_at"), DELETE ON "delivery" TO "tandem_integrations_relay";
CREATE POLICY purge ON "delivery" TO "tandem_integrations_relay" USING ("created_at" < now() - interval '90 days');
