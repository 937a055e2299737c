-- CreateTable
CREATE TABLE "embedding" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "doc_id" BIGINT NOT NULL,
    "model" TEXT NOT NULL,
    "vector" BYTEA NOT NULL,

    CONSTRAINT "embedding_pkey" PRIMARY KEY ("tenant_id","environment","doc_id","model")
);

ALTER TABLE "embedding" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "embedding" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "embedding" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
