-- AlterTable
ALTER TABLE "workflow" ADD COLUMN     "previous_secret" TEXT,
ADD COLUMN     "secret_rotated_at" TIMESTAMPTZ(3);

-- When the encryption key changes, a background task seals the secrets of all tenants again. It works under the relay role,
-- which may read and replace the sealed columns, and nothing else of a workflow.
GRANT SELECT ("id", "secret", "previous_secret"), UPDATE ("secret", "previous_secret") ON "workflow" TO "tandem_campaign_relay";
CREATE POLICY reseal ON "workflow" TO "tandem_campaign_relay" USING (true);
