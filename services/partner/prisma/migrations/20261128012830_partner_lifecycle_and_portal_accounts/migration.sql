-- AlterTable
ALTER TABLE "partner" ADD COLUMN     "status_changed_at" TIMESTAMPTZ(3),
ADD COLUMN     "status_note" TEXT,
ADD COLUMN     "status_reason" TEXT,
ADD COLUMN     "terms_accepted_at" TIMESTAMPTZ(3),
ADD COLUMN     "terms_version" TEXT;

-- AlterTable
ALTER TABLE "portal_user" ALTER COLUMN "password_hash" DROP NOT NULL;

-- CreateTable
CREATE TABLE "portal_token" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "hash" TEXT NOT NULL,
    "portal_user_id" BIGINT NOT NULL,
    "purpose" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "portal_token_pkey" PRIMARY KEY ("tenant_id","environment","hash")
);

-- CreateIndex
CREATE INDEX "portal_token_tenant_id_environment_portal_user_id_purpose_c_idx" ON "portal_token"("tenant_id", "environment", "portal_user_id", "purpose", "created_at");

-- CreateIndex
CREATE INDEX "portal_token_expires_at_idx" ON "portal_token"("expires_at");

-- AddForeignKey
ALTER TABLE "portal_token" ADD CONSTRAINT "portal_token_tenant_id_environment_portal_user_id_fkey" FOREIGN KEY ("tenant_id", "environment", "portal_user_id") REFERENCES "portal_user"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "portal_token" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "portal_token" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "portal_token" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

GRANT SELECT ("expires_at"), DELETE ON "portal_token" TO "tandem_partner_relay";
CREATE POLICY purge ON "portal_token" TO "tandem_partner_relay" USING ("expires_at" < now() - interval '1 days');
