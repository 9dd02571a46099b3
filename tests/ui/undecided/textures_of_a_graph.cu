// A texture that is destroyed before the graph that reads it is launched.
//@ undecided: 2
__global__ void captured(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0); }

static cudaTextureObject_t texture(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  cudaTextureObject_t t;
  cudaCreateTextureObject(&t, &resource, &how, nullptr);
  return t;
}

int main() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  float *out;
  cudaMalloc(&out, 32 * sizeof(float));
  cudaMallocArray(&array, &format, 32, 32);
  cudaTextureObject_t t = texture(array);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  captured<<<1, 32, 0, stream>>>(t, out);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, NULL, NULL, 0);
  cudaDestroyTextureObject(t);
  cudaGraphLaunch(exec, stream);
  cudaDeviceSynchronize();
}
