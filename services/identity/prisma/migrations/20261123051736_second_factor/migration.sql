-- AlterTable
ALTER TABLE "tenant" ADD COLUMN     "require_totp" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "totp" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "id" BIGSERIAL NOT NULL,
    "user_id" BIGINT NOT NULL,
    "seal_ref" UUID NOT NULL,
    "secret" TEXT NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),
    "last_step" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "totp_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "recovery_code" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "totp_id" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "recovery_code_pkey" PRIMARY KEY ("tenant_id","totp_id","hash")
);

-- CreateIndex
CREATE INDEX "totp_tenant_id_user_id_idx" ON "totp"("tenant_id", "user_id");

-- AddForeignKey
ALTER TABLE "totp" ADD CONSTRAINT "totp_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "user"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_tenant_id_totp_id_fkey" FOREIGN KEY ("tenant_id", "totp_id") REFERENCES "totp"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "totp" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "totp" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "totp" USING (tenant_id = platform.tenant_id());

ALTER TABLE "recovery_code" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "recovery_code" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "recovery_code" USING (tenant_id = platform.tenant_id());

-- When the encryption key changes, a background task seals the secrets of all tenants again. It works under the relay role,
-- which may read and replace the sealed column, and nothing else of a second factor.
GRANT SELECT ("seal_ref", "secret"), UPDATE ("secret") ON "totp" TO "tandem_identity_relay";
CREATE POLICY reseal ON "totp" TO "tandem_identity_relay" USING (true);
