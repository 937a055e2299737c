-- When the encryption key changes, a background task seals the secrets of all tenants again. It works under the relay role,
-- which may read and replace the sealed columns, and nothing else of a webhook.
GRANT SELECT ("seal_ref", "secret", "previous_secret", "custom_headers"),
    UPDATE ("secret", "previous_secret", "custom_headers") ON "webhook" TO "tandem_integrations_relay";
CREATE POLICY reseal ON "webhook" TO "tandem_integrations_relay" USING (true);
