-- CreateTable
CREATE TABLE "phone_call" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "execution_id" BIGINT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "provider" TEXT NOT NULL,
    "call_id" TEXT,
    "status" TEXT NOT NULL DEFAULT 'starting',
    "starts" INTEGER NOT NULL DEFAULT 1,
    "sequence" INTEGER NOT NULL DEFAULT -1,
    "duration_seconds" INTEGER,
    "error" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "deadline" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "phone_call_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "phone_call_tenant_id_environment_execution_id_attempt_key" ON "phone_call"("tenant_id", "environment", "execution_id", "attempt");

-- CreateIndex
CREATE UNIQUE INDEX "phone_call_provider_call_id_key" ON "phone_call"("provider", "call_id");

-- AddForeignKey
ALTER TABLE "phone_call" ADD CONSTRAINT "phone_call_tenant_id_environment_execution_id_fkey" FOREIGN KEY ("tenant_id", "environment", "execution_id") REFERENCES "execution"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "phone_call" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "phone_call" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "phone_call" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
