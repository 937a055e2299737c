-- CreateTable
CREATE TABLE "topic" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "public" BOOLEAN NOT NULL DEFAULT true,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "topic_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "suppression" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "channel" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "value" TEXT,
    "reason" TEXT NOT NULL,
    "topic_id" BIGINT,
    "note" TEXT,
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "suppression_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "contact_pause" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "channel" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "value" TEXT,
    "paused_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "contact_pause_pkey" PRIMARY KEY ("tenant_id","environment","channel","digest")
);

-- CreateIndex
CREATE INDEX "topic_tenant_id_environment_created_at_id_idx" ON "topic"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "topic_tenant_id_environment_name_id_idx" ON "topic"("tenant_id", "environment", "name", "id");

-- CreateIndex
CREATE INDEX "topic_tenant_id_environment_public_created_at_id_idx" ON "topic"("tenant_id", "environment", "public", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "topic_tenant_id_environment_name_key" ON "topic"("tenant_id", "environment", "name");

-- CreateIndex
CREATE INDEX "suppression_tenant_id_environment_created_at_id_idx" ON "suppression"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "suppression_tenant_id_environment_channel_created_at_id_idx" ON "suppression"("tenant_id", "environment", "channel", "created_at", "id");

-- CreateIndex
CREATE INDEX "suppression_tenant_id_environment_reason_created_at_id_idx" ON "suppression"("tenant_id", "environment", "reason", "created_at", "id");

-- CreateIndex
CREATE INDEX "suppression_tenant_id_environment_topic_id_created_at_id_idx" ON "suppression"("tenant_id", "environment", "topic_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "suppression_tenant_id_environment_digest_created_at_id_idx" ON "suppression"("tenant_id", "environment", "digest", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "suppression_once" ON "suppression"("tenant_id", "environment", "channel", "digest", "reason", "topic_id") NULLS NOT DISTINCT;

-- AddForeignKey
ALTER TABLE "suppression" ADD CONSTRAINT "suppression_tenant_id_environment_topic_id_fkey" FOREIGN KEY ("tenant_id", "environment", "topic_id") REFERENCES "topic"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "topic" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "topic" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "topic" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "suppression" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "suppression" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "suppression" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "contact_pause" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "contact_pause" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "contact_pause" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
