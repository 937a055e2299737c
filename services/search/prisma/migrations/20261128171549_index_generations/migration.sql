-- CreateTable
CREATE TABLE "index_generation" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "type" TEXT NOT NULL,
    "live" INTEGER NOT NULL DEFAULT 1,
    "latest" INTEGER NOT NULL DEFAULT 1,
    "building" INTEGER,
    "job_id" BIGINT,
    "step" TEXT,
    "after" BIGINT NOT NULL DEFAULT 0,
    "read" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "index_generation_pkey" PRIMARY KEY ("tenant_id","environment","type")
);

-- CreateTable
CREATE TABLE "reconciliation" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "type" TEXT NOT NULL DEFAULT 'lead',
    "step" TEXT NOT NULL DEFAULT 'index',
    "after" BIGINT NOT NULL DEFAULT 0,
    "checked" INTEGER NOT NULL DEFAULT 0,
    "repaired" INTEGER NOT NULL DEFAULT 0,
    "last_checked" INTEGER,
    "last_repaired" INTEGER,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "reconciliation_pkey" PRIMARY KEY ("tenant_id","environment")
);

ALTER TABLE "index_generation" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "index_generation" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "index_generation" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "reconciliation" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "reconciliation" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "reconciliation" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
