-- For rows that a release writes without a time, while both releases run.
ALTER TABLE "notification" ALTER COLUMN "purge_at" SET DEFAULT (now() + '365 days'::interval);

-- In two statements: existing rows get their time by the backfill that follows.
ALTER TABLE "notification_batch" ADD COLUMN     "purge_at" TIMESTAMPTZ(3);
ALTER TABLE "notification_batch" ALTER COLUMN "purge_at" SET DEFAULT (now() + '30 days'::interval);

-- The relay's role deletes batches without notifications. It sees which batch each notification belongs to, so that it
-- recognizes these batches, and nothing else of notifications that stay.
GRANT SELECT ("tenant_id", "batch_id") ON "notification" TO "tandem_identity_relay";
CREATE POLICY relay_reads ON "notification" FOR SELECT TO "tandem_identity_relay" USING (true);
GRANT SELECT ("tenant_id", "id", "purge_at"), UPDATE ("purge_at"), DELETE ON "notification_batch" TO "tandem_identity_relay";
CREATE POLICY relay_reads ON "notification_batch" FOR SELECT TO "tandem_identity_relay" USING (true);
CREATE POLICY purge ON "notification_batch" FOR DELETE TO "tandem_identity_relay" USING ("purge_at" < now());
CREATE POLICY purge_later ON "notification_batch" FOR UPDATE TO "tandem_identity_relay"
  USING ("purge_at" < now()) WITH CHECK ("purge_at" > now());
