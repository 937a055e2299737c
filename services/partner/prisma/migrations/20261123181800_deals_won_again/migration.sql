-- AlterTable
ALTER TABLE "commission" ADD COLUMN     "deal_version" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "uncredited_deal" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "deal" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "opportunity_id" BIGINT NOT NULL,
    "version" INTEGER NOT NULL,

    CONSTRAINT "deal_pkey" PRIMARY KEY ("tenant_id","environment","opportunity_id")
);

ALTER TABLE "deal" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "deal" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "deal" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
