-- AlterTable
ALTER TABLE "file" ADD COLUMN     "ocr_status" TEXT;

-- CreateTable
CREATE TABLE "ocr_job" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "file_id" BIGINT NOT NULL,
    "version_id" BIGINT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "languages" TEXT[],
    "features" TEXT[],
    "pages" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "schema" JSONB,
    "fingerprint" TEXT NOT NULL,
    "done" INTEGER NOT NULL DEFAULT 0,
    "total" INTEGER NOT NULL DEFAULT 0,
    "engine" TEXT,
    "tables" JSONB NOT NULL DEFAULT '[]',
    "fields" JSONB NOT NULL DEFAULT '{}',
    "error_code" TEXT,
    "error_message" TEXT,
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "ocr_job_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "ocr_page" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "ocr_job_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "recognized" BOOLEAN NOT NULL,
    "content" JSONB NOT NULL,

    CONSTRAINT "ocr_page_pkey" PRIMARY KEY ("tenant_id","environment","ocr_job_id","number")
);

-- CreateTable
CREATE TABLE "file_text" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "file_id" BIGINT NOT NULL,
    "version_id" BIGINT NOT NULL,
    "words" tsvector NOT NULL,

    CONSTRAINT "file_text_pkey" PRIMARY KEY ("tenant_id","environment","file_id")
);

-- CreateIndex
CREATE INDEX "ocr_job_tenant_id_environment_file_id_version_id_id_idx" ON "ocr_job"("tenant_id", "environment", "file_id", "version_id", "id");

-- CreateIndex
CREATE INDEX "file_text_words" ON "file_text" USING GIN ("tenant_id" int8_ops, "words");

-- AddForeignKey
ALTER TABLE "ocr_job" ADD CONSTRAINT "ocr_job_tenant_id_environment_file_id_fkey" FOREIGN KEY ("tenant_id", "environment", "file_id") REFERENCES "file"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ocr_page" ADD CONSTRAINT "ocr_page_tenant_id_environment_ocr_job_id_fkey" FOREIGN KEY ("tenant_id", "environment", "ocr_job_id") REFERENCES "ocr_job"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "file_text" ADD CONSTRAINT "file_text_tenant_id_environment_file_id_fkey" FOREIGN KEY ("tenant_id", "environment", "file_id") REFERENCES "file"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "ocr_job" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "ocr_job" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "ocr_job" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "ocr_page" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "ocr_page" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "ocr_page" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "file_text" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "file_text" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "file_text" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
