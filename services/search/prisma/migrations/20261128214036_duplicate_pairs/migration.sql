-- AlterTable
ALTER TABLE "document" ADD COLUMN     "facts" TEXT;

-- CreateTable
CREATE TABLE "duplicate_record" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "type" TEXT NOT NULL,
    "document_id" TEXT NOT NULL,
    "owners" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "duplicate_record_pkey" PRIMARY KEY ("tenant_id","environment","type","document_id")
);

-- CreateTable
CREATE TABLE "duplicate_pair" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "type" TEXT NOT NULL,
    "first_id" TEXT NOT NULL,
    "second_id" TEXT NOT NULL,
    "score" DOUBLE PRECISION NOT NULL,
    "level" TEXT NOT NULL,
    "signals" JSONB NOT NULL DEFAULT '[]',
    "status" TEXT NOT NULL DEFAULT 'open',
    "dismissed_by" BIGINT,
    "dismissed_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "duplicate_pair_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "duplicate_check" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "index_name" TEXT NOT NULL,
    "document_id" TEXT NOT NULL,

    CONSTRAINT "duplicate_check_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "duplicate_pair_tenant_id_environment_type_second_id_idx" ON "duplicate_pair"("tenant_id", "environment", "type", "second_id");

-- CreateIndex
CREATE INDEX "duplicate_pair_tenant_id_environment_status_created_at_id_idx" ON "duplicate_pair"("tenant_id", "environment", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "duplicate_pair_tenant_id_environment_status_score_id_idx" ON "duplicate_pair"("tenant_id", "environment", "status", "score", "id");

-- CreateIndex
CREATE INDEX "duplicate_pair_tenant_id_environment_status_type_created_at_idx" ON "duplicate_pair"("tenant_id", "environment", "status", "type", "created_at", "id");

-- CreateIndex
CREATE INDEX "duplicate_pair_tenant_id_environment_status_level_created_a_idx" ON "duplicate_pair"("tenant_id", "environment", "status", "level", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "duplicate_pair_tenant_id_environment_type_first_id_second_i_key" ON "duplicate_pair"("tenant_id", "environment", "type", "first_id", "second_id");

-- CreateIndex
CREATE INDEX "duplicate_check_tenant_id_environment_index_name_id_idx" ON "duplicate_check"("tenant_id", "environment", "index_name", "id");

-- AddForeignKey
ALTER TABLE "duplicate_pair" ADD CONSTRAINT "duplicate_pair_tenant_id_environment_type_first_id_fkey" FOREIGN KEY ("tenant_id", "environment", "type", "first_id") REFERENCES "duplicate_record"("tenant_id", "environment", "type", "document_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "duplicate_pair" ADD CONSTRAINT "duplicate_pair_tenant_id_environment_type_second_id_fkey" FOREIGN KEY ("tenant_id", "environment", "type", "second_id") REFERENCES "duplicate_record"("tenant_id", "environment", "type", "document_id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "duplicate_record" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "duplicate_record" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "duplicate_record" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "duplicate_pair" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "duplicate_pair" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "duplicate_pair" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "duplicate_check" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "duplicate_check" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "duplicate_check" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- The pairs of a removed record are hidden. After 30 days housekeeping removes it, and its pairs with it.
GRANT SELECT ("removed_at"), DELETE ON "duplicate_record" TO "tandem_search_relay";
CREATE POLICY purge ON "duplicate_record" TO "tandem_search_relay" USING ("removed_at" < now() - interval '30 days');
CREATE INDEX "duplicate_record_removed_at_idx" ON "duplicate_record" ("removed_at") WHERE "removed_at" IS NOT NULL;
