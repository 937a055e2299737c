-- AlterTable
ALTER TABLE "lead" ADD COLUMN     "custom_date_1" TIMESTAMPTZ(3),
ADD COLUMN     "custom_date_2" TIMESTAMPTZ(3),
ADD COLUMN     "custom_number_1" DOUBLE PRECISION,
ADD COLUMN     "custom_number_2" DOUBLE PRECISION,
ADD COLUMN     "custom_number_3" DOUBLE PRECISION,
ADD COLUMN     "custom_number_4" DOUBLE PRECISION,
ADD COLUMN     "custom_text_1" TEXT,
ADD COLUMN     "custom_text_2" TEXT,
ADD COLUMN     "custom_text_3" TEXT,
ADD COLUMN     "custom_text_4" TEXT;

-- CreateTable
CREATE TABLE "custom_field" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "entity_type" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "description" TEXT,
    "type" TEXT NOT NULL,
    "options" JSONB NOT NULL DEFAULT '[]',
    "required" BOOLEAN NOT NULL DEFAULT false,
    "unique" BOOLEAN NOT NULL DEFAULT false,
    "sortable" BOOLEAN NOT NULL DEFAULT false,
    "order" INTEGER NOT NULL,
    "slot" TEXT,
    "status" TEXT NOT NULL DEFAULT 'indexing',
    "misfits" INTEGER NOT NULL DEFAULT 0,
    "read_to" BIGINT NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "custom_field_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "custom_field_key" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "field_id" BIGINT NOT NULL,
    "value" TEXT NOT NULL,
    "record_id" BIGINT NOT NULL,

    CONSTRAINT "custom_field_key_pkey" PRIMARY KEY ("tenant_id","environment","field_id","value")
);

-- CreateIndex
CREATE INDEX "custom_field_tenant_id_environment_order_id_idx" ON "custom_field"("tenant_id", "environment", "order", "id");

-- CreateIndex
CREATE INDEX "custom_field_tenant_id_environment_created_at_id_idx" ON "custom_field"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "custom_field_tenant_id_environment_key_id_idx" ON "custom_field"("tenant_id", "environment", "key", "id");

-- CreateIndex
CREATE INDEX "custom_field_tenant_id_environment_label_id_idx" ON "custom_field"("tenant_id", "environment", "label", "id");

-- CreateIndex
CREATE UNIQUE INDEX "custom_field_key_taken" ON "custom_field"("tenant_id", "environment", "entity_type", "key") WHERE (removed_at IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "custom_field_tenant_id_environment_entity_type_slot_key" ON "custom_field"("tenant_id", "environment", "entity_type", "slot");

-- CreateIndex
CREATE INDEX "custom_field_key_tenant_id_environment_field_id_record_id_idx" ON "custom_field_key"("tenant_id", "environment", "field_id", "record_id");

-- AddForeignKey
ALTER TABLE "custom_field_key" ADD CONSTRAINT "custom_field_key_tenant_id_environment_field_id_fkey" FOREIGN KEY ("tenant_id", "environment", "field_id") REFERENCES "custom_field"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "custom_field" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "custom_field" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "custom_field" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "custom_field_key" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "custom_field_key" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "custom_field_key" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
