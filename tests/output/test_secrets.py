"""No output shows a secret, in any kind of file."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.output import FORMATS
from tests.conftest import Flint
from tests.marks import mostly_slow

SECRET = "hunter2-Ab9x7q"
JAAS = f'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="{SECRET}";'
URL = f"jdbc:postgresql://flink:{SECRET}@db:5432/orders"

FILES = {
    "flink-conf.yaml": f"""s3.secret-key: {SECRET}
s3.access-key:{SECRET}
# s3.secret-key: {SECRET}
env.java.opts: -Djavax.net.ssl.keyStorePassword={SECRET} -Xmx1g
web.upload.dir: {URL}
blob.storage.directory: /tmp/{SECRET}
""",
    "config.yaml": f"""s3:
  secret-key: {SECRET}
fs.azure.account.key.x.blob.core.windows.net: >-
  {SECRET}
taskmanager.numberOfTaskSlots: "{SECRET}"
jobmanager.rpc.address: {URL}
security.ssl.internal.key-password: [{SECRET}]
""",
    "templates/flink-conf.yaml.j2": f"""s3.secret-key: {{{{ key | default('{SECRET}') }}}}
{{% if x %}}
rest.port: {SECRET}
{{% endif %}}
s3.access-key: {SECRET}
""",
    "deployment.yaml": f"""apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {{name: orders}}
spec:
  flinkVersion: v1_20
  image: flink:1.20
  flinkConfiguration:
    s3.secret-key: {SECRET}
    state.checkpoints.dir: s3://a:{SECRET}@b/c
    taskmanager.numberOfTaskSlots: {SECRET}
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          env:
            - {{name: DB_PASSWORD, value: {SECRET}}}
            - name: KAFKA_JAAS
              value: '{JAAS}'
  job:
    jarURI: local:///a.jar
    args: ["--db.password", "{SECRET}", "--password={SECRET}", "--url", "{URL}"]
""",
    "cluster.yaml": f"""apiVersion: flinkoperator.k8s.io/v1beta1
kind: FlinkCluster
metadata: {{name: clicks}}
spec:
  image: {{name: flink:1.14.2}}
  flinkProperties: {{s3.secret-key: {SECRET}, rest.port: "{SECRET}"}}
  job: {{jarFile: a.jar, args: ["--password", {SECRET}]}}
""",
    "configmap.yaml": f"""apiVersion: v1
kind: ConfigMap
metadata: {{name: flink}}
data:
  password: {SECRET}
  flink-conf.yaml: |
    s3.secret-key: {SECRET}
    s3.access-key:{SECRET}
    blob.storage.directory: /tmp/{SECRET}
""",
    "workload.yaml": f"""apiVersion: apps/v1
kind: Deployment
metadata: {{name: jm}}
spec:
  template:
    spec:
      containers:
        - name: jobmanager
          image: flink:1.18.0
          args: ["jobmanager", "-Ds3.secret-key={SECRET}", "-Drest.port={SECRET}"]
          env:
            - name: FLINK_PROPERTIES
              value: "s3.secret-key: {SECRET}\\nrest.port: x\\n"
            - {{name: AWS_SECRET_ACCESS_KEY, value: "{SECRET}"}}
""",
    "kustomization.yaml": f"""patches:
  - patch: |
      apiVersion: flink.apache.org/v1beta1
      kind: FlinkDeployment
      metadata: {{name: orders}}
      spec:
        flinkConfiguration:
          s3.secret-key: {SECRET}
          rest.port: {SECRET}
""",
    "values.yaml": f"""flink:
  image: {{repository: flink, tag: 1.20.1}}
  password: {SECRET}
  flinkConfiguration:
    s3.secret-key: {SECRET}
    parallelism.default: {SECRET}
    jobmanager.rpc.address: {URL}
""",
    "vvp/values.yaml": f"""vvp:
  globalDeploymentDefaults: |
    spec:
      template:
        spec:
          flinkConfiguration:
            s3.secret-key: {SECRET}
            parallelism.default: {SECRET}
""",
    "compose.yaml": f"""services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager -Ds3.secret-key={SECRET} -Dblob.server.port={SECRET}
    environment:
      FLINK_PROPERTIES: |
        s3.secret-key: {SECRET}
        s3.access-key:{SECRET}
        web.upload.dir: {URL}
      PASSWORD: {SECRET}
      AWS_SECRET_ACCESS_KEY: {SECRET}
      JAAS: '{JAAS}'
  db:
    image: postgres:16
    environment: ["POSTGRES_PASSWORD={SECRET}"]
""",
    "Dockerfile": f"""FROM flink:1.17
ENV AWS_SECRET_ACCESS_KEY={SECRET} FLINK_PROPERTIES="s3.secret-key: {SECRET}"
RUN echo "s3.secret-key: {SECRET}" >> /opt/flink/conf/flink-conf.yaml
RUN curl https://u:{SECRET}@repo/a.jar -o /opt/flink/lib/a.jar
""",
    "emr.json": f"""[{{"Classification": "flink-conf", "Properties":
 {{"s3.secret-key": "{SECRET}", "rest.port": "{SECRET}", "web.upload.dir": "{URL}"}}}}]
""",
    "main.tf": f"""resource "aws_kinesisanalyticsv2_application" "orders" {{
  runtime_environment = "FLINK-1_18"
  application_configuration {{
    environment_properties {{
      property_group {{
        property_group_id = "KafkaSource"
        property_map = {{
          "bootstrap.servers" = "b:9092", "topic" = "t", "group.id" = "g"
          "sasl.jaas.config"  = "{JAAS.replace('"', chr(92) + '"')}"
          "db.password"       = "{SECRET}"
          "url"               = "{URL}"
          "aws.credentials.provider.basic.secretkey" = "{SECRET}"
        }}
      }}
    }}
  }}
}}
""",
    "template.yaml": f"""AWSTemplateFormatVersion: '2010-09-09'
Resources:
  Orders:
    Type: AWS::KinesisAnalyticsV2::Application
    Properties:
      RuntimeEnvironment: FLINK-1_20
      ApplicationConfiguration:
        EnvironmentProperties:
          PropertyGroups:
            - PropertyGroupId: KafkaSource
              PropertyMap:
                bootstrap.servers: b:9092
                sasl.jaas.config: '{JAAS}'
                password: {SECRET}
                aws.credentials.provider.basic.secretkey: {SECRET}
""",
    "orders.sql": f"""SET 's3.secret-key' = '{SECRET}';
SET 'rest.port' = '{SECRET}';
CREATE TABLE orders (id BIGINT) WITH (
  'connector' = 'jdbc', 'url' = '{URL}', 'username' = 'u', 'password' = '{SECRET}', 'table-name' = 'o');
CREATE TABLE events (id BIGINT) WITH (
  'connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json',
  'properties.sasl.jaas.config' = '{JAAS}', 'properties.group.id' = '{SECRET}');
CREATE CATALOG c WITH ('type' = 'jdbc', 'password' = '{SECRET}', 'base-url' = '{URL}');
INSERT INTO orders SELECT id FROM events;
""",
    "Job.java": f"""import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
class Job {{
  public static void main(String[] args) {{
    Configuration c = new Configuration();
    c.setString("s3.secret-key", "{SECRET}");
    c.setString("rest.port", "{SECRET}");
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(c);
    Properties p = new Properties();
    p.setProperty("bootstrap.servers", "b:9092"); p.setProperty("group.id", "g");
    p.setProperty("sasl.jaas.config", "{JAAS.replace('"', chr(92) + '"')}");
    env.addSource(new FlinkKafkaConsumer<>("t", new SimpleStringSchema(), p)).print();
    env.executeSql("CREATE TABLE o (id INT) WITH ('connector' = 'jdbc', 'password' = '{SECRET}', 'url' = '{URL}')");
  }}
}}
""",
    "job.py": f"""from pyflink.table import TableEnvironment
t_env = TableEnvironment.create(settings)
t_env.get_config().set("s3.secret-key", "{SECRET}")
t_env.get_config().set("parallelism.default", "{SECRET}")
t_env.execute_sql("CREATE TABLE o (id INT) WITH ('connector' = 'jdbc', 'password' = '{SECRET}', 'url' = '{URL}')")
""",
    "job.properties": f"""state.backend=rocksdb
parallelism.default={SECRET}
s3.secret-key={SECRET}
kafka.sasl.jaas.config={JAAS}
db.url={URL}
""",
    "application.conf": f"""flink {{
  state.backend = rocksdb
  parallelism.default = {SECRET}
  s3.secret-key = "{SECRET}"
  s3.access-key = {SECRET}
}}
db {{ password = {SECRET}, url = "{URL}" }}
""",
    "job.toml": f"""[flink]
state.backend = "rocksdb"
parallelism.default = "{SECRET}"
s3.secret-key = '{SECRET}'
[db]
password = "{SECRET}"
""",
    "job.yaml": f"""db: {{password: {SECRET}}}
flink:
  state.backend: rocksdb
  parallelism.default: {SECRET}
  execution.checkpointing.interval: 1 min
  s3.secret-key: {SECRET}
""",
    "run.sh": f"""export AWS_SECRET_ACCESS_KEY={SECRET}
flink run -Ds3.secret-key={SECRET} -Drest.port={SECRET} job.jar --password {SECRET} --db.password={SECRET} --url {URL}
""",
    "log4j.properties": f"""log4j.rootLogger=DEBUG, smtp
log4j.logger.org.apache.flink=DEBUG
log4j.appender.smtp=org.apache.log4j.net.SMTPAppender
log4j.appender.smtp.SMTPPassword={SECRET}
""",
    "log4j2.xml": f"""<Configuration><!-- org.apache.flink -->
<Appenders><SMTP name="s" smtpPassword="{SECRET}"/><JDBC name="j" password="{SECRET}"/></Appenders>
<Loggers><Root level="debug"><AppenderRef ref="s"/></Root></Loggers></Configuration>
""",
    "logback.xml": f"""<configuration><logger name="org.apache.flink" level="DEBUG"/>
<appender name="s" class="ch.qos.logback.classic.net.SMTPAppender"><password>{SECRET}</password></appender>
<root level="DEBUG"><appender-ref ref="s"/></root></configuration>
""",
}


@pytest.mark.parametrize("name", mostly_slow(FILES, every=4))
def test_no_output_shows_a_secret(name: str, flint: Flint, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(FILES[name])
    every = ("--select", "ALL", "--min-confidence", "low", "--no-ignores")
    for output in FORMATS:
        result = flint("check", name, *every, "--output-format", output, COLUMNS="300")
        assert result.returncode in (0, 1), result.stderr
        assert SECRET not in result.stdout + result.stderr, output
    for arguments in (("check", name, *every, "--diff", "--unsafe-fixes"), ("show", name)):
        result = flint(*arguments, COLUMNS="300")
        assert SECRET not in result.stdout + result.stderr, arguments
    shown = flint("show", name, "--output-format", "json")
    assert SECRET not in shown.stdout + shown.stderr


def test_each_file_is_read_by_a_file_format_of_its_own(flint: Flint, tmp_path: Path) -> None:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    listed = flint("check", ".", "--show-files").stdout
    assert [name for name in FILES if name not in listed] == []
