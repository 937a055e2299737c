-- AlterTable
ALTER TABLE "lead" ADD COLUMN     "status_code" TEXT;

-- AlterTable
ALTER TABLE "opportunity" ADD COLUMN     "pipeline_id" BIGINT;

-- AlterTable
ALTER TABLE "status_definition" ADD COLUMN     "pipeline_id" BIGINT;

-- CreateTable
CREATE TABLE "pipeline" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "is_default" BOOLEAN NOT NULL DEFAULT false,
    "team_ids" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
    "no_skip" BOOLEAN NOT NULL DEFAULT false,
    "no_backward" BOOLEAN NOT NULL DEFAULT false,
    "required_fields" JSONB NOT NULL DEFAULT '{}',
    "allowed_role_ids" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pipeline_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "win_loss_reason" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "outcome" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "win_loss_reason_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "pipeline_tenant_id_environment_created_at_id_idx" ON "pipeline"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "pipeline_tenant_id_environment_updated_at_id_idx" ON "pipeline"("tenant_id", "environment", "updated_at", "id");

-- CreateIndex
CREATE INDEX "pipeline_tenant_id_environment_name_id_idx" ON "pipeline"("tenant_id", "environment", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "pipeline_default" ON "pipeline"("tenant_id", "environment") WHERE (is_default);

-- CreateIndex
CREATE INDEX "win_loss_reason_tenant_id_environment_created_at_id_idx" ON "win_loss_reason"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "win_loss_reason_tenant_id_environment_code_id_idx" ON "win_loss_reason"("tenant_id", "environment", "code", "id");

-- CreateIndex
CREATE INDEX "win_loss_reason_tenant_id_environment_name_id_idx" ON "win_loss_reason"("tenant_id", "environment", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "win_loss_reason_tenant_id_environment_outcome_code_key" ON "win_loss_reason"("tenant_id", "environment", "outcome", "code");

-- AddForeignKey
ALTER TABLE "status_definition" ADD CONSTRAINT "status_definition_tenant_id_environment_pipeline_id_fkey" FOREIGN KEY ("tenant_id", "environment", "pipeline_id") REFERENCES "pipeline"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

-- AddForeignKey
ALTER TABLE "opportunity" ADD CONSTRAINT "opportunity_tenant_id_environment_pipeline_id_fkey" FOREIGN KEY ("tenant_id", "environment", "pipeline_id") REFERENCES "pipeline"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

-- AddCheck
ALTER TABLE "status_definition" ADD CONSTRAINT "status_definition_pipeline_check" CHECK (entity_type = 'opportunity' OR pipeline_id IS NULL) NOT VALID;
ALTER TABLE "win_loss_reason" ADD CONSTRAINT "win_loss_reason_outcome_check" CHECK (outcome IN ('won', 'lost'));

ALTER TABLE "pipeline" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "pipeline" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "pipeline" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "win_loss_reason" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "win_loss_reason" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "win_loss_reason" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- The previous release knows neither pipelines nor custom lead statuses. The triggers fill in the columns of its writes.
CREATE FUNCTION "status_definition_pipeline"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "pipeline" ("tenant_id", "environment", "name", "is_default") VALUES (NEW."tenant_id", NEW."environment", 'Sales', true)
    ON CONFLICT DO NOTHING;
  SELECT "id" INTO NEW."pipeline_id" FROM "pipeline"
    WHERE "tenant_id" = NEW."tenant_id" AND "environment" = NEW."environment" AND "is_default";
  RETURN NEW;
END $$;
CREATE TRIGGER "status_definition_pipeline" BEFORE INSERT ON "status_definition" FOR EACH ROW
  WHEN (NEW."entity_type" = 'opportunity' AND NEW."pipeline_id" IS NULL) EXECUTE FUNCTION "status_definition_pipeline"();

CREATE FUNCTION "opportunity_pipeline"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT "pipeline_id" INTO NEW."pipeline_id" FROM "status_definition"
    WHERE "tenant_id" = NEW."tenant_id" AND "environment" = NEW."environment" AND "id" = NEW."stage_id";
  RETURN NEW;
END $$;
CREATE TRIGGER "opportunity_pipeline_created" BEFORE INSERT ON "opportunity" FOR EACH ROW
  WHEN (NEW."pipeline_id" IS NULL) EXECUTE FUNCTION "opportunity_pipeline"();
CREATE TRIGGER "opportunity_pipeline_moved" BEFORE UPDATE OF "stage_id" ON "opportunity" FOR EACH ROW
  WHEN (NEW."stage_id" <> OLD."stage_id" AND NEW."pipeline_id" IS NOT DISTINCT FROM OLD."pipeline_id")
  EXECUTE FUNCTION "opportunity_pipeline"();

CREATE FUNCTION "lead_status_code"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."status_code" := NEW."status";
  RETURN NEW;
END $$;
CREATE TRIGGER "lead_status_code_created" BEFORE INSERT ON "lead" FOR EACH ROW
  WHEN (NEW."status_code" IS NULL) EXECUTE FUNCTION "lead_status_code"();
CREATE TRIGGER "lead_status_code_changed" BEFORE UPDATE OF "status" ON "lead" FOR EACH ROW
  WHEN (NEW."status" <> OLD."status" AND NEW."status_code" IS NOT DISTINCT FROM OLD."status_code")
  EXECUTE FUNCTION "lead_status_code"();
