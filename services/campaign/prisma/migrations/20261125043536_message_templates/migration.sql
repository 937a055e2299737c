-- CreateTable
CREATE TABLE "template" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "subject" TEXT,
    "preheader" TEXT,
    "html" TEXT,
    "text" TEXT,
    "variables" JSONB NOT NULL DEFAULT '[]',
    "content_version" INTEGER NOT NULL DEFAULT 1,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "template_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "template_version" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "template_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "subject" TEXT,
    "preheader" TEXT,
    "html" TEXT,
    "text" TEXT,
    "variables" JSONB NOT NULL,
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "template_version_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "template_tenant_id_environment_created_at_id_idx" ON "template"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "template_tenant_id_environment_updated_at_id_idx" ON "template"("tenant_id", "environment", "updated_at", "id");

-- CreateIndex
CREATE INDEX "template_tenant_id_environment_name_id_idx" ON "template"("tenant_id", "environment", "name", "id");

-- CreateIndex
CREATE INDEX "template_tenant_id_environment_status_created_at_id_idx" ON "template"("tenant_id", "environment", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "template_tenant_id_environment_channel_created_at_id_idx" ON "template"("tenant_id", "environment", "channel", "created_at", "id");

-- CreateIndex
CREATE INDEX "template_version_tenant_id_environment_template_id_created__idx" ON "template_version"("tenant_id", "environment", "template_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "template_version_tenant_id_environment_template_id_number_i_idx" ON "template_version"("tenant_id", "environment", "template_id", "number", "id");

-- CreateIndex
CREATE UNIQUE INDEX "template_version_tenant_id_environment_template_id_number_key" ON "template_version"("tenant_id", "environment", "template_id", "number");

-- AddForeignKey
ALTER TABLE "template_version" ADD CONSTRAINT "template_version_tenant_id_environment_template_id_fkey" FOREIGN KEY ("tenant_id", "environment", "template_id") REFERENCES "template"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "template" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "template" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "template" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "template_version" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "template_version" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "template_version" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
