-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "course" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "category" TEXT,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "audience" TEXT NOT NULL DEFAULT 'both',
    "estimated_minutes" INTEGER,
    "pass_score" DOUBLE PRECISION,
    "sequential" BOOLEAN NOT NULL DEFAULT false,
    "valid_days" INTEGER,
    "created_by" BIGINT,
    "published_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "course_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "lesson" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "course_id" BIGINT NOT NULL,
    "module" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "content" TEXT,
    "duration_seconds" INTEGER,
    "required" BOOLEAN NOT NULL DEFAULT true,
    "order" INTEGER NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "lesson_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "enrollment" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "course_id" BIGINT NOT NULL,
    "learner_id" BIGINT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'enrolled',
    "due_at" TIMESTAMPTZ(3),
    "enrolled_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "enrollment_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "course_tenant_id_environment_created_at_id_idx" ON "course"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "course_tenant_id_environment_title_id_idx" ON "course"("tenant_id", "environment", "title", "id");

-- CreateIndex
CREATE INDEX "lesson_tenant_id_environment_course_id_created_at_id_idx" ON "lesson"("tenant_id", "environment", "course_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "lesson_tenant_id_environment_course_id_order_key" ON "lesson"("tenant_id", "environment", "course_id", "order");

-- CreateIndex
CREATE INDEX "enrollment_tenant_id_environment_course_id_learner_id_idx" ON "enrollment"("tenant_id", "environment", "course_id", "learner_id");

-- CreateIndex
CREATE INDEX "enrollment_tenant_id_environment_learner_id_idx" ON "enrollment"("tenant_id", "environment", "learner_id");

-- CreateIndex
CREATE INDEX "enrollment_tenant_id_environment_created_at_id_idx" ON "enrollment"("tenant_id", "environment", "created_at", "id");

-- AddForeignKey
ALTER TABLE "lesson" ADD CONSTRAINT "lesson_tenant_id_environment_course_id_fkey" FOREIGN KEY ("tenant_id", "environment", "course_id") REFERENCES "course"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "enrollment" ADD CONSTRAINT "enrollment_tenant_id_environment_course_id_fkey" FOREIGN KEY ("tenant_id", "environment", "course_id") REFERENCES "course"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "course" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "course" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "course" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "lesson" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "lesson" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "lesson" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "enrollment" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "enrollment" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "enrollment" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
