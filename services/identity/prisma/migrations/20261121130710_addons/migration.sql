-- CreateTable
CREATE TABLE "installed_addon" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "addon_id" BIGINT NOT NULL,
    "version" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'installed',
    "config" JSONB NOT NULL DEFAULT '{}',
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "installed_addon_pkey" PRIMARY KEY ("tenant_id","addon_id")
);

ALTER TABLE "installed_addon" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "installed_addon" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "installed_addon" USING (tenant_id = platform.tenant_id());
