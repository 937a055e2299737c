-- AlterTable
ALTER TABLE "export_chunk" ADD COLUMN     "traces" JSONB;
