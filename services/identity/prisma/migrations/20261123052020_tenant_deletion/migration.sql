-- CreateTable
CREATE TABLE "tenant_deletion" (
    "tenant_number" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "removed" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "tenant_deletion_pkey" PRIMARY KEY ("tenant_number")
);
