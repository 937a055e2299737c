-- CreateTable
CREATE TABLE "statistic_sum" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "course_id" BIGINT NOT NULL,
    "span" TEXT NOT NULL,
    "starts_on" DATE NOT NULL,
    "lesson_id" BIGINT NOT NULL DEFAULT 0,
    "learner_type" TEXT NOT NULL,
    "metric" TEXT NOT NULL,
    "value" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "statistic_sum_pkey" PRIMARY KEY ("tenant_id","environment","course_id","span","starts_on","lesson_id","learner_type","metric")
);

ALTER TABLE "statistic_sum" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "statistic_sum" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "statistic_sum" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
