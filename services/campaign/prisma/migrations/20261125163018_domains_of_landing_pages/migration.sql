-- CreateTable
CREATE TABLE "page_domain" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "host" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "home_page_id" BIGINT,
    "checks" JSONB NOT NULL DEFAULT '[]',
    "checked_at" TIMESTAMPTZ(3),
    "verified_at" TIMESTAMPTZ(3),
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "page_domain_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "page_domain_tenant_id_environment_created_at_id_idx" ON "page_domain"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "page_domain_tenant_id_environment_host_id_idx" ON "page_domain"("tenant_id", "environment", "host", "id");

-- CreateIndex
CREATE INDEX "page_domain_tenant_id_environment_status_created_at_id_idx" ON "page_domain"("tenant_id", "environment", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "page_domain_tenant_id_environment_home_page_id_idx" ON "page_domain"("tenant_id", "environment", "home_page_id");

-- CreateIndex
CREATE UNIQUE INDEX "page_domain_tenant_id_environment_host_key" ON "page_domain"("tenant_id", "environment", "host");

-- CreateIndex
CREATE UNIQUE INDEX "page_domain_verified_host" ON "page_domain"("host") WHERE (status = 'verified');

-- AddForeignKey
ALTER TABLE "page_domain" ADD CONSTRAINT "page_domain_tenant_id_environment_home_page_id_fkey" FOREIGN KEY ("tenant_id", "environment", "home_page_id") REFERENCES "landing_page"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "page_domain" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "page_domain" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "page_domain" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- The verified domain of a host, of whichever tenant: a request for a page has no tenant yet. Row-level security shows no tenant the
-- domains of others, so this runs as the owner of the tables.
CREATE POLICY lookup ON "page_domain" FOR SELECT TO "tandem_campaign_owner" USING (true);
CREATE FUNCTION "verified_page_domain"(wanted text)
RETURNS TABLE (tenant_id bigint, environment text, id bigint, home_page_id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT d.tenant_id, d.environment, d.id, d.home_page_id FROM "page_domain" AS d WHERE d.host = wanted AND d.status = 'verified'
$$;
REVOKE ALL ON FUNCTION "verified_page_domain"(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "verified_page_domain"(text) TO "tandem_campaign_app";
