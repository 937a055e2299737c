-- Deleted connections are removed with their configs, after the time in which a config can be moved to another connection.
ALTER TABLE "connector_config" DROP CONSTRAINT "connector_config_tenant_id_environment_connection_id_fkey";
ALTER TABLE "connector_config" ADD CONSTRAINT "connector_config_tenant_id_environment_connection_id_fkey" FOREIGN KEY ("tenant_id", "environment", "connection_id") REFERENCES "connection"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE NOT VALID;

-- The policy for sealing again also covered DELETE, which was not granted before.
DROP POLICY reseal ON "connection";
CREATE POLICY reseal ON "connection" FOR SELECT TO "tandem_integrations_relay" USING (true);
CREATE POLICY reseal_update ON "connection" FOR UPDATE TO "tandem_integrations_relay" USING (true);
GRANT SELECT ("deleted_at"), DELETE ON "connection" TO "tandem_integrations_relay";
CREATE POLICY purge ON "connection" FOR DELETE TO "tandem_integrations_relay" USING ("deleted_at" < now() - interval '30 days');
