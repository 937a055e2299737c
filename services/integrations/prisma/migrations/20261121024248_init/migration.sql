-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "webhook" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "active" BOOLEAN NOT NULL DEFAULT true,
    "description" TEXT,
    "rate_limit_per_second" INTEGER,
    "seal_ref" UUID NOT NULL,
    "secret" TEXT NOT NULL,
    "secret_hint" TEXT NOT NULL,
    "previous_secret" TEXT,
    "previous_secret_expires_at" TIMESTAMPTZ(3),
    "custom_headers" TEXT,
    "custom_header_names" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "disabled_reason" TEXT,
    "disabled_at" TIMESTAMPTZ(3),
    "enabled_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_success_at" TIMESTAMPTZ(3),
    "failure_since" TIMESTAMPTZ(3),
    "failed_attempts" INTEGER NOT NULL DEFAULT 0,
    "warned_at" TIMESTAMPTZ(3),
    "consecutive_timeouts" INTEGER NOT NULL DEFAULT 0,
    "paused_until" TIMESTAMPTZ(3),
    "next_slot_at" TIMESTAMPTZ(3),
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "event" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "type" TEXT NOT NULL,
    "body" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "stored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "delivery" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "webhook_id" BIGINT NOT NULL,
    "event_id" BIGINT NOT NULL,
    "event" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "manual_attempt_count" INTEGER NOT NULL DEFAULT 0,
    "last_attempt_number" INTEGER NOT NULL DEFAULT 0,
    "max_attempts" INTEGER NOT NULL,
    "round" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "slot_at" TIMESTAMPTZ(3),
    "last_status_code" INTEGER,
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "delivery_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "attempt" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "delivery_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "trigger" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "status_code" INTEGER,
    "error" TEXT,
    "request_headers" JSONB NOT NULL,
    "response_headers" JSONB,
    "response_body" TEXT,

    CONSTRAINT "attempt_pkey" PRIMARY KEY ("tenant_id","environment","delivery_id","number")
);

-- CreateTable
CREATE TABLE "recovery" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "webhook_id" BIGINT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "matched" INTEGER NOT NULL,
    "requeued" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "recovery_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "webhook_tenant_id_environment_created_at_id_idx" ON "webhook"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "event_tenant_id_environment_created_at_id_idx" ON "event"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "delivery_tenant_id_environment_webhook_id_created_at_id_idx" ON "delivery"("tenant_id", "environment", "webhook_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "delivery_tenant_id_environment_webhook_id_status_created_at_idx" ON "delivery"("tenant_id", "environment", "webhook_id", "status", "created_at");

-- CreateIndex
CREATE INDEX "delivery_tenant_id_environment_event_id_idx" ON "delivery"("tenant_id", "environment", "event_id");

-- AddForeignKey
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_tenant_id_environment_webhook_id_fkey" FOREIGN KEY ("tenant_id", "environment", "webhook_id") REFERENCES "webhook"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_tenant_id_environment_event_id_fkey" FOREIGN KEY ("tenant_id", "environment", "event_id") REFERENCES "event"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attempt" ADD CONSTRAINT "attempt_tenant_id_environment_delivery_id_fkey" FOREIGN KEY ("tenant_id", "environment", "delivery_id") REFERENCES "delivery"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recovery" ADD CONSTRAINT "recovery_tenant_id_environment_webhook_id_fkey" FOREIGN KEY ("tenant_id", "environment", "webhook_id") REFERENCES "webhook"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "webhook" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "webhook" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "webhook" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "event" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "event" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "event" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "delivery" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "delivery" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "delivery" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "attempt" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "attempt" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "attempt" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "recovery" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "recovery" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "recovery" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
