-- AlterTable
ALTER TABLE "installed_addon" ADD COLUMN     "activated_at" TIMESTAMPTZ(3),
ADD COLUMN     "seal_ref" UUID,
ADD COLUMN     "secrets" TEXT,
ADD COLUMN     "suspend_reason" TEXT,
ADD COLUMN     "suspended_at" TIMESTAMPTZ(3),
ADD COLUMN     "uninstalled_at" TIMESTAMPTZ(3);

-- The settings of an uninstalled addon are kept for 30 days. Housekeeping then deletes the row, under the relay role.
-- When the encryption key changes, the same role reads and replaces the secrets of all tenants, and nothing else of a row.
GRANT SELECT ("uninstalled_at", "seal_ref", "secrets"), UPDATE ("secrets"), DELETE ON "installed_addon" TO "tandem_identity_relay";
CREATE POLICY purge ON "installed_addon" FOR DELETE TO "tandem_identity_relay" USING ("uninstalled_at" < now() - interval '30 days');
CREATE POLICY relay_reads ON "installed_addon" FOR SELECT TO "tandem_identity_relay" USING (true);
CREATE POLICY reseal ON "installed_addon" FOR UPDATE TO "tandem_identity_relay" USING (true);
