-- AlterTable
ALTER TABLE "user" ADD COLUMN     "email_verified_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "account_token" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "hash" TEXT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "purpose" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "account_token_pkey" PRIMARY KEY ("tenant_id","hash")
);

-- CreateIndex
CREATE INDEX "account_token_tenant_id_user_id_purpose_created_at_idx" ON "account_token"("tenant_id", "user_id", "purpose", "created_at");

-- AddForeignKey
ALTER TABLE "account_token" ADD CONSTRAINT "account_token_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "user"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "account_token" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "account_token" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "account_token" USING (tenant_id = platform.tenant_id());
