-- AlterTable
ALTER TABLE "audit_head" ADD COLUMN     "purged" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "purged_hash" TEXT NOT NULL DEFAULT '';

-- Entries are kept for 365 days. Housekeeping removes them from the oldest on and moves the anchor of the chain along; the
-- role it works under sees no younger entry, and of these only their place in the chain.
GRANT SELECT ("tenant_id", "position", "hash", "occurred_at"), DELETE ON "audit_log" TO "tandem_identity_relay";
CREATE POLICY purge ON "audit_log" TO "tandem_identity_relay" USING ("occurred_at" < now() - interval '365 days');
GRANT SELECT ("tenant_id", "purged"), UPDATE ("purged", "purged_hash") ON "audit_head" TO "tandem_identity_relay";
CREATE POLICY purge ON "audit_head" TO "tandem_identity_relay" USING (true);

-- The service appends; where the chain begins is not its to say.
REVOKE INSERT, UPDATE ON "audit_head" FROM "tandem_identity_app";
GRANT INSERT ("tenant_id", "entries", "hash"), UPDATE ("entries", "hash") ON "audit_head" TO "tandem_identity_app";
