-- AlterTable
ALTER TABLE "export_chunk" ADD COLUMN     "row_count" INTEGER;
