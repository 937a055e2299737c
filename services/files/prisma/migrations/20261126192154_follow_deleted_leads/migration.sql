-- AlterTable
ALTER TABLE "file" ADD COLUMN     "deleted_with_lead_id" BIGINT;

-- CreateTable
CREATE TABLE "deleted_lead" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "lead_id" BIGINT NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),
    "is_erased" BOOLEAN NOT NULL DEFAULT false,
    "version" INTEGER NOT NULL,

    CONSTRAINT "deleted_lead_pkey" PRIMARY KEY ("tenant_id","environment","lead_id")
);

ALTER TABLE "deleted_lead" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "deleted_lead" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "deleted_lead" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
