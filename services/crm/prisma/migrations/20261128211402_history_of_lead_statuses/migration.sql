-- CreateTable
CREATE TABLE "lead_status_change" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "lead_id" BIGINT NOT NULL,
    "from_status" TEXT NOT NULL,
    "to_status" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "lead_status_change_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "lead_status_change_tenant_id_environment_lead_id_id_idx" ON "lead_status_change"("tenant_id", "environment", "lead_id", "id");

-- AddForeignKey
ALTER TABLE "lead_status_change" ADD CONSTRAINT "lead_status_change_tenant_id_environment_lead_id_fkey" FOREIGN KEY ("tenant_id", "environment", "lead_id") REFERENCES "lead"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "lead_status_change" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "lead_status_change" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "lead_status_change" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- The time is that of the version of the lead, which its events have too.
CREATE FUNCTION "keep_lead_status_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "lead_status_change" ("tenant_id", "environment", "lead_id", "from_status", "to_status", "at")
    VALUES (NEW."tenant_id", NEW."environment", NEW."id", OLD."status", NEW."status", NEW."updated_at");
  RETURN NULL;
END $$;
CREATE TRIGGER "lead_status_change" AFTER UPDATE OF "status" ON "lead" FOR EACH ROW
  WHEN (NEW."status" <> OLD."status") EXECUTE FUNCTION "keep_lead_status_change"();
