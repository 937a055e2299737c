-- AlterTable
ALTER TABLE "ledger_entry" ADD COLUMN     "reason" TEXT;

-- CreateTable
CREATE TABLE "statement_month" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "period" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "statement_month_pkey" PRIMARY KEY ("tenant_id","environment","period")
);

ALTER TABLE "statement_month" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "statement_month" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "statement_month" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
