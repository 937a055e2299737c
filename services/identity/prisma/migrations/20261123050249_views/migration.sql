-- CreateTable
CREATE TABLE "view" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "id" BIGSERIAL NOT NULL,
    "view_environment" TEXT NOT NULL,
    "resource" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "search" TEXT NOT NULL,
    "layout" TEXT NOT NULL,
    "visibility" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "owner_id" BIGINT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "view_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateIndex
CREATE INDEX "view_tenant_id_view_environment_position_id_idx" ON "view"("tenant_id", "view_environment", "position", "id");

-- CreateIndex
CREATE INDEX "view_tenant_id_view_environment_created_at_id_idx" ON "view"("tenant_id", "view_environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "view_tenant_id_view_environment_name_id_idx" ON "view"("tenant_id", "view_environment", "name", "id");

-- CreateIndex
CREATE INDEX "view_tenant_id_view_environment_resource_position_id_idx" ON "view"("tenant_id", "view_environment", "resource", "position", "id");

-- CreateIndex
CREATE INDEX "view_tenant_id_owner_id_idx" ON "view"("tenant_id", "owner_id");

-- AddForeignKey
ALTER TABLE "view" ADD CONSTRAINT "view_tenant_id_owner_id_fkey" FOREIGN KEY ("tenant_id", "owner_id") REFERENCES "user"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "view" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "view" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "view" USING (tenant_id = platform.tenant_id());
