-- CreateTable
CREATE TABLE "sso_domain_lookup" (
    "domain" TEXT NOT NULL,
    "owner_tenant_id" BIGINT NOT NULL,

    CONSTRAINT "sso_domain_lookup_pkey" PRIMARY KEY ("domain")
);

-- CreateTable
CREATE TABLE "sso_connection" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "issuer" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "seal_ref" UUID NOT NULL,
    "client_secret" TEXT NOT NULL,
    "default_role_id" BIGINT,
    "allow_sign_up" BOOLEAN NOT NULL,
    "enforce" BOOLEAN NOT NULL,
    "configured_by" BIGINT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sso_connection_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "sso_domain" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "id" BIGSERIAL NOT NULL,
    "domain" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "verified_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sso_domain_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "user_identity" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_identity_pkey" PRIMARY KEY ("tenant_id","issuer","subject")
);

-- CreateIndex
CREATE INDEX "sso_connection_tenant_id_default_role_id_idx" ON "sso_connection"("tenant_id", "default_role_id");

-- CreateIndex
CREATE UNIQUE INDEX "sso_domain_tenant_id_domain_key" ON "sso_domain"("tenant_id", "domain");

-- CreateIndex
CREATE INDEX "user_identity_tenant_id_user_id_idx" ON "user_identity"("tenant_id", "user_id");

-- AddForeignKey
ALTER TABLE "sso_connection" ADD CONSTRAINT "sso_connection_tenant_id_default_role_id_fkey" FOREIGN KEY ("tenant_id", "default_role_id") REFERENCES "role"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sso_connection" ADD CONSTRAINT "sso_connection_tenant_id_configured_by_fkey" FOREIGN KEY ("tenant_id", "configured_by") REFERENCES "user"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_identity" ADD CONSTRAINT "user_identity_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "user"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "sso_connection" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "sso_connection" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "sso_connection" USING (tenant_id = platform.tenant_id());

ALTER TABLE "sso_domain" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "sso_domain" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "sso_domain" USING (tenant_id = platform.tenant_id());

ALTER TABLE "user_identity" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "user_identity" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "user_identity" USING (tenant_id = platform.tenant_id());

-- When the encryption key changes, a background task seals the secrets of all tenants again. It works under the relay role,
-- which may read and replace the sealed column, and nothing else of a connection.
GRANT SELECT ("seal_ref", "client_secret"), UPDATE ("client_secret") ON "sso_connection" TO "tandem_identity_relay";
CREATE POLICY reseal ON "sso_connection" TO "tandem_identity_relay" USING (true);
