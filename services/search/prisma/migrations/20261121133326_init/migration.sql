-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "document" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "type" TEXT NOT NULL,
    "document_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 0,
    "document" JSONB NOT NULL,
    "status" TEXT,
    "source" TEXT,
    "stage" TEXT,
    "tier" TEXT,
    "currency" TEXT,
    "assigned_to" TEXT,
    "score" DOUBLE PRECISION,
    "value" DOUBLE PRECISION,
    "created_at" TIMESTAMPTZ(3),
    "owners" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "indexed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "document_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- Words are in the order of their bytes, so that those with one beginning stand together.
CREATE TABLE "posting" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "doc_id" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "term" TEXT COLLATE "C" NOT NULL,
    "weight" SMALLINT NOT NULL,

    CONSTRAINT "posting_pkey" PRIMARY KEY ("tenant_id","environment","doc_id","term")
);

-- CreateTable
CREATE TABLE "spelling" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "type" TEXT NOT NULL,
    "form" TEXT COLLATE "C" NOT NULL,
    "word" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "spelling_pkey" PRIMARY KEY ("tenant_id","environment","type","form","word")
);

-- CreateIndex
CREATE UNIQUE INDEX "document_tenant_id_environment_type_document_id_key" ON "document"("tenant_id", "environment", "type", "document_id");

-- CreateIndex
CREATE INDEX "posting_tenant_id_environment_type_term_weight_doc_id_idx" ON "posting"("tenant_id", "environment", "type", "term", "weight" DESC, "doc_id" DESC);

ALTER TABLE "document" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "document" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "document" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "posting" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "posting" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "posting" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "spelling" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "spelling" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "spelling" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
