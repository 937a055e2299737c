-- The removal of a deleted tenant runs as the owner of the tables.
CREATE POLICY removal ON platform.mail TO :owner USING (tenant_id = platform.tenant_id());
