-- CreateTable
CREATE TABLE "failed_sign_in" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "user_id" BIGINT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL,

    CONSTRAINT "failed_sign_in_pkey" PRIMARY KEY ("tenant_id","user_id")
);

-- AddForeignKey
ALTER TABLE "failed_sign_in" ADD CONSTRAINT "failed_sign_in_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "user"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "failed_sign_in" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "failed_sign_in" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "failed_sign_in" USING (tenant_id = platform.tenant_id());
