-- CreateTable
CREATE TABLE "connection" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "connector_key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "seal_ref" UUID NOT NULL,
    "credentials" TEXT NOT NULL DEFAULT '',
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "account_id" TEXT,
    "account_name" TEXT,
    "expires_at" TIMESTAMPTZ(3),
    "last_refreshed_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "token_number" INTEGER NOT NULL DEFAULT 0,
    "refresh_at" TIMESTAMPTZ(3),
    "refresh_round" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "invalid_grants" INTEGER NOT NULL DEFAULT 0,
    "refresh_ref" UUID,
    "refreshing_until" TIMESTAMPTZ(3),
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "connection_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "oauth_authorization" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "state_hash" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "connection_id" BIGINT NOT NULL,
    "user_id" BIGINT,
    "redirect_uri" TEXT,
    "scopes" TEXT[],
    "seal_ref" UUID NOT NULL,
    "verifier" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "oauth_authorization_pkey" PRIMARY KEY ("tenant_id","environment","state_hash")
);

-- CreateTable
CREATE TABLE "connector_config" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "connector_key" TEXT NOT NULL,
    "connection_id" BIGINT NOT NULL,
    "settings" JSONB NOT NULL,
    "field_mappings" JSONB NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "inactive_reason" TEXT,
    "authorized_by" BIGINT,
    "authorized_permissions" JSONB NOT NULL,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "connector_config_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "connection_tenant_id_environment_created_at_id_idx" ON "connection"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "connection_tenant_id_environment_updated_at_id_idx" ON "connection"("tenant_id", "environment", "updated_at", "id");

-- CreateIndex
CREATE INDEX "connection_tenant_id_environment_name_id_idx" ON "connection"("tenant_id", "environment", "name", "id");

-- CreateIndex
CREATE INDEX "oauth_authorization_tenant_id_environment_connection_id_idx" ON "oauth_authorization"("tenant_id", "environment", "connection_id");

-- CreateIndex
CREATE INDEX "oauth_authorization_created_at_idx" ON "oauth_authorization"("created_at");

-- CreateIndex
CREATE INDEX "connector_config_tenant_id_environment_created_at_id_idx" ON "connector_config"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "connector_config_tenant_id_environment_updated_at_id_idx" ON "connector_config"("tenant_id", "environment", "updated_at", "id");

-- CreateIndex
CREATE INDEX "connector_config_tenant_id_environment_connection_id_create_idx" ON "connector_config"("tenant_id", "environment", "connection_id", "created_at", "id");

-- AddForeignKey
ALTER TABLE "oauth_authorization" ADD CONSTRAINT "oauth_authorization_tenant_id_environment_connection_id_fkey" FOREIGN KEY ("tenant_id", "environment", "connection_id") REFERENCES "connection"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "connector_config" ADD CONSTRAINT "connector_config_tenant_id_environment_connection_id_fkey" FOREIGN KEY ("tenant_id", "environment", "connection_id") REFERENCES "connection"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "connection" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "connection" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "connection" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "oauth_authorization" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "oauth_authorization" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "oauth_authorization" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "connector_config" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "connector_config" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "connector_config" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- The relay role seals tokens and verifiers again when the encryption key changes, and deletes old authorizations.
GRANT SELECT ("seal_ref", "credentials"), UPDATE ("credentials") ON "connection" TO "tandem_integrations_relay";
CREATE POLICY reseal ON "connection" TO "tandem_integrations_relay" USING (true);
GRANT SELECT ("seal_ref", "verifier", "created_at"), UPDATE ("verifier"), DELETE ON "oauth_authorization" TO "tandem_integrations_relay";
CREATE POLICY reseal ON "oauth_authorization" FOR SELECT TO "tandem_integrations_relay" USING (true);
CREATE POLICY reseal_update ON "oauth_authorization" FOR UPDATE TO "tandem_integrations_relay" USING (true);
CREATE POLICY purge ON "oauth_authorization" FOR DELETE TO "tandem_integrations_relay" USING ("created_at" < now() - interval '1 day');
