-- AlterTable
ALTER TABLE "connector_config" ADD COLUMN     "cursor" JSONB,
ADD COLUMN     "examined_to" TEXT,
ADD COLUMN     "failures" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "next_sync_at" TIMESTAMPTZ(3),
ADD COLUMN     "reading_since" TIMESTAMPTZ(3),
ADD COLUMN     "sync_round" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "connector_run" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "config_id" BIGINT NOT NULL,
    "trigger" TEXT NOT NULL,
    "event_id" BIGINT,
    "calendar_event_id" BIGINT,
    "full" BOOLEAN NOT NULL DEFAULT false,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "counts" JSONB NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "round" INTEGER NOT NULL DEFAULT 0,
    "pages" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "next_attempt_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "connector_run_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "connector_run_item" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "run_id" BIGINT NOT NULL,
    "direction" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "external_id" TEXT,
    "record_id" BIGINT,
    "action" TEXT NOT NULL,
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "connector_run_item_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "sync_link" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "connection_id" BIGINT NOT NULL,
    "scope" TEXT NOT NULL DEFAULT '',
    "kind" TEXT NOT NULL,
    "external_id" TEXT NOT NULL,
    "record_id" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "record_hash" TEXT,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sync_link_pkey" PRIMARY KEY ("tenant_id","environment","connection_id","scope","kind","external_id")
);

-- CreateIndex
CREATE INDEX "connector_run_tenant_id_environment_config_id_created_at_id_idx" ON "connector_run"("tenant_id", "environment", "config_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "connector_run_created_at_idx" ON "connector_run"("created_at");

-- CreateIndex
CREATE INDEX "connector_run_item_tenant_id_environment_run_id_created_at__idx" ON "connector_run_item"("tenant_id", "environment", "run_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "sync_link_tenant_id_environment_connection_id_scope_kind_re_idx" ON "sync_link"("tenant_id", "environment", "connection_id", "scope", "kind", "record_id");

-- AddForeignKey
ALTER TABLE "connector_run" ADD CONSTRAINT "connector_run_tenant_id_environment_config_id_fkey" FOREIGN KEY ("tenant_id", "environment", "config_id") REFERENCES "connector_config"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "connector_run_item" ADD CONSTRAINT "connector_run_item_tenant_id_environment_run_id_fkey" FOREIGN KEY ("tenant_id", "environment", "run_id") REFERENCES "connector_run"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sync_link" ADD CONSTRAINT "sync_link_tenant_id_environment_connection_id_fkey" FOREIGN KEY ("tenant_id", "environment", "connection_id") REFERENCES "connection"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "connector_run" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "connector_run" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "connector_run" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "connector_run_item" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "connector_run_item" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "connector_run_item" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "sync_link" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "sync_link" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "sync_link" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- The relay role deletes runs after their retention; items are deleted with them.
GRANT SELECT ("created_at"), DELETE ON "connector_run" TO "tandem_integrations_relay";
CREATE POLICY purge ON "connector_run" TO "tandem_integrations_relay" USING ("created_at" < now() - interval '30 days');
