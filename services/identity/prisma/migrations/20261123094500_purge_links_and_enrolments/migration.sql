-- Housekeeping deletes links, invitations and unfinished enrolments of a second factor that are past their time, under the
-- relay role. The policies show it no others.
GRANT SELECT ("expires_at"), DELETE ON "account_token" TO "tandem_identity_relay";
CREATE POLICY purge ON "account_token" TO "tandem_identity_relay" USING ("expires_at" < now() - interval '1 days');
GRANT SELECT ("expires_at"), DELETE ON "invitation" TO "tandem_identity_relay";
CREATE POLICY purge ON "invitation" TO "tandem_identity_relay" USING ("expires_at" < now() - interval '90 days');

-- The policy for re-encryption covered every command; deleting is for unfinished enrolments only.
DROP POLICY reseal ON "totp";
CREATE POLICY relay_reads ON "totp" FOR SELECT TO "tandem_identity_relay" USING (true);
CREATE POLICY reseal ON "totp" FOR UPDATE TO "tandem_identity_relay" USING (true);
GRANT SELECT ("tenant_id", "id", "confirmed_at", "created_at"), DELETE ON "totp" TO "tandem_identity_relay";
CREATE POLICY purge ON "totp" FOR DELETE TO "tandem_identity_relay"
  USING ("confirmed_at" IS NULL AND "created_at" < now() - interval '1 days');
