-- AlterTable
ALTER TABLE "document" ADD COLUMN     "embedded_by" TEXT;

-- CreateTable
CREATE TABLE "embedding_state" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "model" TEXT NOT NULL,
    "covered_by" TEXT,
    "is_queued" BOOLEAN NOT NULL DEFAULT true,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "batch_max" INTEGER NOT NULL DEFAULT 64,
    "sweep_after" BIGINT DEFAULT 0,

    CONSTRAINT "embedding_state_pkey" PRIMARY KEY ("tenant_id","environment")
);

-- CreateTable
CREATE TABLE "embedding_use" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "day" DATE NOT NULL,
    "tokens" INTEGER NOT NULL,

    CONSTRAINT "embedding_use_pkey" PRIMARY KEY ("tenant_id","environment")
);

ALTER TABLE "embedding_state" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "embedding_state" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "embedding_state" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "embedding_use" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "embedding_use" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "embedding_use" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
